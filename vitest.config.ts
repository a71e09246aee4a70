import { defineConfig } from 'vitest/config'

// Not 'import': it would hold for `require` as well, and give libraries parts that do not fit.
const conditions = ['nounkit-source', 'node']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    execArgv: ['--conditions=nounkit-source'],
    // Many tests wait for real processes, so two cores have room for more workers.
    maxWorkers: 4,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
