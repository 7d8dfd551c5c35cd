import Glibc

// Nothing else stands here: top-level code belongs to the main actor.
exit(await Program.run(CommandLine.arguments))
