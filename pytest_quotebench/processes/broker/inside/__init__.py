"""What runs inside the sandbox: read as files, imported by nobody."""
