"""What the commands do: one verb a module, results as data, nothing printed."""
