/// The few drawings of the console, as markup of our own. Beside each stands its meaning in words.
enum Icon {
    case desk, overview, cases, commerce, notifications, quarantine, apps, tenants, search, person, key, audit, checks
    case alerts, register, held, outcomes

    var html: HTML {
        switch self {
        case .desk:
            HTML(
                markupThatIsSafeAsItStands:
                    "<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><rect x=\"2\" y=\"2\" width=\"20\" height=\"20\" rx=\"6\" fill=\"currentColor\"/><path d=\"M15.5 15.5V12a3 3 0 0 0-3-3H8m0 0 2.6-2.6M8 9l2.6 2.6\" fill=\"none\" stroke=\"var(--surface)\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>"
            )
        case .overview: line("M3 12h4l2.5-7 5 14L17 12h4")
        case .cases: line("M4 5.5h16M4 12h16M4 18.5h10")
        case .commerce: line("M4 9h10.5a5 5 0 0 1 0 10H9M4 9l4-4M4 9l4 4")
        case .notifications: line("M4 6.5h16v11H4zM4 7l8 6 8-6")
        case .quarantine: line("M12 3.5 20 7v5c0 4.5-3.3 7.6-8 8.5-4.7-.9-8-4-8-8.5V7zM12 8.5v4.2M12 15.8v.1")
        case .apps: line("M4.5 4.5h6v6h-6zM13.5 4.5h6v6h-6zM4.5 13.5h6v6h-6zM13.5 13.5h6v6h-6z")
        case .tenants: line("M4 20V8l8-4.5L20 8v12M4 20h16M9.5 20v-5h5v5")
        case .search: line("M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 20.5 20.5")
        case .person: line("M12 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM5 19.5c.8-3.4 3.4-5 7-5s6.2 1.6 7 5")
        case .audit: line("M6 3.5h9l4 4v13H6zM9.5 11h6M9.5 14.5h6M9.5 18h3.5")
        case .checks: line("M4 6.5 6 8.5 9.5 5M4 16.5 6 18.5 9.5 15M13 7h7M13 17h7")
        case .alerts: line("M6.5 16.5V11a5.5 5.5 0 0 1 11 0v5.5l1.5 2H5zM10.5 21h3")
        case .held: line("M7 3.5h10M7 20.5h10M8 3.5c0 5 8 6 8 8.5s-8 3.5-8 8.5M16 3.5c0 5-8 6-8 8.5s8 3.5 8 8.5")
        case .outcomes: line("M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17zM8.5 12.2l2.4 2.4 4.6-5")
        case .register: line("M4 4v16h16M8.5 16v-4M13 16V7.5M17.5 16v-6")
        case .key: line("M8.5 11a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM11.8 12.2 20 4M16.5 7.5l3 3")
        }
    }

    private func line(_ path: StaticString) -> HTML {
        var whole = HTML(
            markupThatIsSafeAsItStands:
                "<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\"><path d=\""
        )
        whole.append(HTML(markupThatIsSafeAsItStands: path))
        whole.append(HTML(markupThatIsSafeAsItStands: "\"/></svg>"))
        return whole
    }
}
