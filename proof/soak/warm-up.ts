// Imports what the workers do, and ends, which leaves the compiled modules where they look for them.
import '../../src/stores/sqlite/sqlite-store.ts'
import './soak-agents.ts'
