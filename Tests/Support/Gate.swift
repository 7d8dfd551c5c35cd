/// Lets nobody through until it is opened, and everybody afterwards.
package actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    package func pass() async {
        await withCheckedContinuation { continuation in
            if isOpen { continuation.resume() } else { waiting.append(continuation) }
        }
    }

    package func open() {
        isOpen = true
        let waiting = waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
    }
}
