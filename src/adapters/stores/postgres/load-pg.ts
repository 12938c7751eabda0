import { StoreError } from '../../../core/domain/store-error.ts'

/** Loads the driver, an optional peer, on first use; a missing one is a `StoreError` that says how to install it. */
export async function loadPg<Driver>(load: () => Promise<Driver>): Promise<Driver> {
  try {
    return await load()
  } catch (cause) {
    const wish = 'It is an optional peer dependency: npm install pg'
    throw new StoreError('store_unavailable', `The package pg could not be loaded. ${wish}`, { cause })
  }
}
