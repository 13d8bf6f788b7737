"""What a claim says: its words in English and Chinese, read into the fields of a claim."""
