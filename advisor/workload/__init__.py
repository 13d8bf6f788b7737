"""What is to be trained? The description of a workload, from every form in which one comes."""
