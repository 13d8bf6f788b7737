"""Settings, about, consent: what is asked apart from the pages."""
