import { z } from 'zod'
import { contract } from '../../src/index.ts'

/** The contract between the agent and the bank. */
export const payment = contract({
  type: 'com.bank.payment',
  version: '1.0.0',
  description: 'Pays an amount.',
  accepts: z.object({ to: z.string(), amount: z.number() }),
  emits: { 'evt.bank.payment.done': z.object({ receipt: z.string() }) },
})

/** The shared secret of both sides; a real one comes from the environment. */
export const secret = `whsec_${btoa('an example secret of 32 letters!')}`
