"""What operators and browsers ask for: health, version, the home page, and answers for services that do not exist here.

No database objects are shown here.
"""
