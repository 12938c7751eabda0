// Imports what the workers do, and ends, which leaves the compiled modules where they look for them.
import '../../src/stores/sqlite/sqlite-store.ts'
import '../../src/protocols/http-broker.ts'
import '../../src/protocols/server-node.ts'
import '../../src/services/index.ts'
import './soak-agents.ts'
