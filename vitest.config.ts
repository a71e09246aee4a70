import { defineConfig } from 'vitest/config'

const conditions = ['nounkit-source', 'node', 'import', 'module', 'default']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    execArgv: ['--conditions=nounkit-source'],
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // Real processes, sockets and a browser on a shared machine: one stall is not a failure, two are.
    retry: 1,
  },
})
