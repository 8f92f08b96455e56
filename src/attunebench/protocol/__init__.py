"""What a model is asked, how its replies are read, and the record they make. Pure."""
