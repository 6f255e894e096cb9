package ask

import "proctor/runner/ask/stopping"

// StopsOf is what ends a plan's run by itself.
func StopsOf(p *Plan) stopping.Rule { return p.stops }
