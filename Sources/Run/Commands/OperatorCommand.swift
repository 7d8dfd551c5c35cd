import FoundationEssentials
import Journal
import Postgres
import Tenants
import Time

/// `refund-desk operator …`
enum OperatorCommand {
    static let add = Command(
        CommandForm(
            words: ["operator", "add"],
            options: [
                .required("email", "E", "who signs in"),
                .optional("tenant", "SLUG", "where; not with --installation"),
                .optional("role", "owner|admin|support|viewer", "what they may do there"),
                .flag("installation", "manages tenants and sees no case"),
                .flag("password-stdin", "sets the password that stands on the first line of standard input"),
            ],
            summary: "Lets a person in and prints a one-time sign-in link.")
    ) { arguments, surroundings in
        let usage = arguments.form.usage
        let role = try arguments.choice("role", as: Tenants.Role.self)
        let slug = arguments.optional("tenant")
        let isInstallation = arguments.has("installation")
        guard isInstallation ? slug == nil && role == nil : slug != nil && role != nil else {
            throw UsageError("either --tenant with --role, or --installation", usage: usage)
        }
        let password =
            arguments.has("password-stdin") ? try SecretFile.line(bytesMax: SignIn.passwordBytesMax * 2) : nil
        return try await House.open(surroundings) { house in
            // Before anything is written: a bad password must not leave half a person.
            var tenant: Tenant?
            if let slug { tenant = try await house.tenant(slug) }
            let context = [arguments["email"]] + (tenant.map { [$0.slug, $0.name] } ?? [])
            if let password, let trouble = PasswordTrouble.of(password, beside: context) {
                throw SignInError.badPassword(trouble)
            }
            let place = tenant
            let person = try await house.database.transaction(.house) { tx in
                let now = house.clock.now
                let person = try await PersonStore.findOrAdd(email: arguments["email"], at: now, in: tx)
                if let place, let role {
                    try await PersonStore.addMember(person, of: place, role: role, at: now, by: .commandLine, in: tx)
                } else {
                    try await PersonStore.makeInstallation(person, in: tx)
                }
                return person
            }
            if let password { try await house.signIn.setPassword(password, of: person.id) }
            return try await link(for: person, in: house, text: "Added.")
        }
    }

    static let reset = Command(
        CommandForm(
            words: ["operator", "reset"], options: [.required("email", "E", "who signs in")],
            summary: "Prints a new one-time sign-in link; links from before end.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            let person = try await house.database.transaction(.house) { tx in
                try await PersonStore.find(email: arguments["email"], in: tx)
            }
            guard let person else { throw PersonStoreError.noPerson }
            return try await link(for: person, in: house, text: "A new link.")
        }
    }

    static let role = Command(
        CommandForm(
            words: ["operator", "role"],
            options: [
                .required("email", "E", "who signs in"), .required("tenant", "SLUG", "where"),
                .required("role", "owner|admin|support|viewer", "what they may do there from now on"),
            ],
            summary: "Gives a member another role, whoever the owners are: the way to give an owner back.")
    ) { arguments, surroundings in
        guard let role = try arguments.choice("role", as: Tenants.Role.self) else {
            throw UsageError("--role is missing", usage: arguments.form.usage)
        }
        return try await House.open(surroundings) { house in
            let tenant = try await house.tenant(arguments["tenant"])
            let person = try await house.database.transaction(.house) { tx in
                guard let person = try await PersonStore.find(email: arguments["email"], in: tx) else {
                    throw PersonStoreError.noPerson
                }
                try await PersonStore.changeRole(
                    of: person, in: tenant, to: role, at: house.clock.now, by: .commandLine, in: tx)
                return person
            }
            return Answer(
                [
                    ("id", .text(person.id.rawValue.uuidString.lowercased())), ("email", .text(person.email)),
                    ("role", .text(role.rawValue)),
                ],
                text: "\(person.email) is \(role.rawValue) of \(tenant.name).")
        }
    }

    static let list = Command(
        CommandForm(
            words: ["operator", "list"], options: [.optional("tenant", "SLUG", "only its members; else everybody")],
            summary: "Lists who may sign in, and where.")
    ) { arguments, surroundings in
        try await House.open(surroundings) { house in
            var tenant: Tenant?
            if let slug = arguments.optional("tenant") { tenant = try await house.tenant(slug) }
            let place = tenant
            let places = try await house.database.transaction(.house) { tx in
                try await PersonStore.places(of: place?.id, in: tx)
            }
            var people: [Person] = []
            for place in places where people.last?.id != place.person.id { people.append(place.person) }
            let listed = people.map { person in
                let own = places.filter { $0.person.id == person.id }
                return JSON.object([
                    ("id", .text(person.id.rawValue.uuidString.lowercased())), ("email", .text(person.email)),
                    ("installation", .flag(person.isInstallation)), ("hasPassword", .flag(own[0].hasPassword)),
                    (
                        "memberships",
                        .list(
                            own.compactMap { place -> JSON? in
                                guard let slug = place.slug, let role = place.role else { return nil }
                                return .object([("tenant", .text(slug)), ("role", .text(role.rawValue))])
                            })
                    ),
                ])
            }
            let rows = places.map { place in
                [
                    place.person.email,
                    place.slug ?? (place.person.isInstallation ? "(installation)" : "(nowhere)"),
                    place.role?.rawValue ?? "-", place.hasPassword ? "password" : "link only",
                ]
            }
            return Answer(
                [("operators", .list(listed))],
                text: places.isEmpty
                    ? "Nobody. Next: refund-desk operator add --email E --tenant SLUG --role owner"
                    : TextTable("EMAIL", "TENANT", "ROLE", "SIGNS IN BY", rows: rows).text)
        }
    }

    static let remove = Command(
        CommandForm(
            words: ["operator", "remove"],
            options: [
                .required("email", "E", "who signs in"), .optional("tenant", "SLUG", "where; not with --installation"),
                .flag("installation", "takes the installation out of their hands"),
            ],
            summary: "Ends a person's membership at once. What they did stays in the audit log.")
    ) { arguments, surroundings in
        let slug = arguments.optional("tenant")
        let isInstallation = arguments.has("installation")
        guard isInstallation == (slug == nil) else {
            throw UsageError("either --tenant or --installation", usage: arguments.form.usage)
        }
        return try await House.open(surroundings) { house in
            var tenant: Tenant?
            if let slug { tenant = try await house.tenant(slug) }
            let place = tenant
            let person = try await house.database.transaction(.house) { tx in
                guard let person = try await PersonStore.find(email: arguments["email"], in: tx) else {
                    throw PersonStoreError.noPerson
                }
                let now = house.clock.now
                if let place {
                    try await PersonStore.removeMember(person, of: place, at: now, by: .commandLine, in: tx)
                } else {
                    try await PersonStore.endInstallation(person, at: now, in: tx)
                }
                return person
            }
            return Answer(
                [("id", .text(person.id.rawValue.uuidString.lowercased())), ("email", .text(person.email))],
                text: "Removed \(person.email)" + (place.map { " from \($0.name)" } ?? "") + ".")
        }
    }

    private static func link(for person: Person, in house: House, text: String) async throws -> Answer {
        let token = try await house.database.transaction(.house) { tx in
            try await house.signIn.makeLink(for: person.id, in: tx)
        }
        let url = house.signInURL(token)
        return Answer(
            [
                ("id", .text(person.id.rawValue.uuidString.lowercased())), ("email", .text(person.email)),
                ("signInURL", .text(url)),
            ],
            text: """
                \(text) One-time sign-in link, good for 24 hours:
                \(url)
                """)
    }
}
