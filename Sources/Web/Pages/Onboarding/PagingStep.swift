/// Step 7: truthfully, nobody.
struct PagingStep {
    let page: SetupPage

    var html: HTML {
        Step(
            .paging, of: page,
            lead:
                "Nobody is paged yet. Channels (PagerDuty, mail and others) come with a later release; until then look at the overview, or watch /metrics."
        ) {}.html
    }
}
