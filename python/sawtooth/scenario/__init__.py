"""What is simulated: scenario files, their units, environments and topologies, down to the numbers that the engine reads."""
