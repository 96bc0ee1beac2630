"""The GraphQL schema of one role: its relations, columns and functions, and their GraphQL names.

Types and fields come from plugins; nothing here knows a single feature.
"""
