"""What is to be trained? The description of a workload and the operator table that its trace gives."""
