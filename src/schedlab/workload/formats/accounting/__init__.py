"""What accounting logs of all batch systems share: names, times, texts and files."""
