package workload

// ThisMachine describes the computer. What the system does not tell is zero, and the processor is "unknown".
func ThisMachine() Machine { return machine() }
