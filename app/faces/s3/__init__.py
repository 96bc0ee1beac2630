"""The S3 protocol: requests signed with AWS signature version 4, and responses in XML."""
