// Imports what the workers do, and ends, which leaves the compiled modules where they look for them.
import '../../src/adapters/stores/sqlite/sqlite-store.ts'
import '../../src/adapters/brokers/http-broker.ts'
import '../../src/servers/http/server-node.ts'
import '../../src/core/services/index.ts'
import './soak-agents.ts'
