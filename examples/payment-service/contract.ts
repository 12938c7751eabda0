import { z } from 'zod'
import { contract } from '../../src/index.ts'

/** What agent and bank agree on. */
export const payment = contract({
  type: 'com.bank.payment',
  version: '1.0.0',
  description: 'Pays an amount.',
  accepts: z.object({ to: z.string(), amount: z.number() }),
  emits: { 'evt.bank.payment.done': z.object({ receipt: z.string() }) },
})

/** Both sides have it; a real one comes from the environment. */
export const secret = `whsec_${btoa('an example secret of 32 letters!')}`
