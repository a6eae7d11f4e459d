"""The real coding agents, run offline against a model that plays a script: the whole loop, host by host."""
