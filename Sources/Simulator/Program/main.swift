import Glibc

exit(await SimulatorCommand.run(Array(CommandLine.arguments.dropFirst())))
