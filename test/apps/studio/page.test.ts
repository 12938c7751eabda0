import { afterAll, beforeAll, describe } from 'vitest'
import { isSeen, startBrowser, stopBrowser } from './open-page.ts'
import { charts } from './page-charts.ts'
import { decisions } from './page-decisions.ts'
import { runs } from './page-runs.ts'
import { troubles } from './page-trouble.ts'

// The tests of the page share one browser, and this file.
describe.skipIf(!isSeen)('the page of the studio', () => {
  beforeAll(startBrowser)
  afterAll(stopBrowser)
  describe('decides', decisions)
  describe('shows runs', runs)
  describe('draws', charts)
  describe('shows what is wrong', troubles)
})
