import { afterAll } from 'vitest'
import { cleanUpFile } from './clean-up.ts'

// Runs for every test file. Modules are loaded once for many files, so none of them can register this by itself.
afterAll(cleanUpFile)
