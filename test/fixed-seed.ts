import { configureGlobal } from 'fast-check'
import { isWhole } from '../proof/support/sampled.ts'

/**
 * The gate draws the same values each time, so that it says the same of the same sources. `TEST_SEED` takes other values,
 * and the whole suite draws new ones each time.
 */
const given = process.env['TEST_SEED']
if (given !== undefined) configureGlobal({ seed: Number(given) })
else if (!isWhole) configureGlobal({ seed: 20 })
