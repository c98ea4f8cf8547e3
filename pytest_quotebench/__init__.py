"""QuoteBench as a pytest plugin."""
