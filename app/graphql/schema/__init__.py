"""The GraphQL schema of one role: which relations, columns and functions it has, and what they are called.

Types and fields come from plugins; the mechanism knows no single feature.
"""
