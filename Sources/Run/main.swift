import Crypto
import Glibc

// First of all: the allocator that wipes what it frees can only be given to OpenSSL before anything
// else of the process (libcurl, libpq) has used it.
SecretMemory.prepare()

// Nothing else stands here: top-level code belongs to the main actor.
exit(await Program.run(CommandLine.arguments))
