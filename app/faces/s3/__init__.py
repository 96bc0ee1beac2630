"""The S3 protocol: requests signed with AWS signature version 4, answered in XML. A face over the storage core."""
