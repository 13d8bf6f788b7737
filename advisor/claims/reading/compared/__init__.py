"""Who is compared with whom: one number of cards or one card against another, each with its figure."""
