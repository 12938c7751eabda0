// Imports what the workers do, and ends, which leaves the compiled modules where they look for them.
import '../../src/adapters/brokers/http-broker.ts'
import '../../src/servers/http/server-node.ts'
import '../../src/core/services/index.ts'
import './soak-agents.ts'
import '../support/paying-family.ts'
import '../support/store-place.ts'
