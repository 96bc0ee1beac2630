"""The project's own benchmark: what is compared is measured side by side in one run, on the machine at hand."""
