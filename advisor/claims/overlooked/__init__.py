"""What of a claim its reading does not depend on, and what it may mean beside what it was read as."""
