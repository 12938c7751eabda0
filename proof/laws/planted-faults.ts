import { engineFaults } from './engine-faults.ts'
import { outsideFaults } from './outside-faults.ts'
import type { PlantedFault } from './planted-fault.ts'
import { storedFaults } from './stored-faults.ts'

/** One or more faults for each decision that is in force. */
export const plantedFaults: readonly PlantedFault[] = [...engineFaults, ...outsideFaults, ...storedFaults]
