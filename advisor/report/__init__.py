"""Say it and keep it: JSON, PDF, launch script, history."""
