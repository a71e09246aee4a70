import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Not 'import': it would hold for `require` as well, and give libraries parts that do not fit.
const conditions = ['nounkit-source', 'node']

// Long tests of what shorter ones test too: kills and races (crash/events, crash/idempotency, crash/writes, http/idempotency-races),
// projects and images made from the package (docs/tutorial, package/install), the gate and its verdicts (contract/gate-*,
// contract/verdicts-*), values of versions (http/version-values), documents (contract/openapi-calls), renames (store/rename-edges,
// store/conversions). The benchmark is tested where it is used.
const onlyNightly = [
  'test/bench/**',
  'test/contract/openapi-filters.test.ts',
  'test/contract/openapi-values.test.ts',
  'test/contract/verdicts-twice.test.ts',
  'test/crash/crowd.test.ts',
  'test/crash/race.test.ts',
  'test/crash/two-processes.test.ts',
  'test/crash/webhooks.test.ts',
  'test/fuzz/**',
  'test/laws/gate.test.ts',
  'test/laws/values.test.ts',
  'test/package/image.test.ts',
  'test/package/new-project.test.ts',
  'test/soak/**',
  'test/store/rename-shop.test.ts',
]

// Run by scripts/citus-cluster.
const needsCluster = 'test/cluster/**'

/** Vitest starts with the largest files. These are small and take long: as the last ones, they would leave a core idle. */
const longFiles = [
  'test/docs/tutorial.test.ts',
  'test/package/install.test.ts',
  'test/processes/rolling-release.test.ts',
  'test/processes/workers.test.ts',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => longFiles.some((name) => moduleId.endsWith(name))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [needsCluster, ...(process.env.NOUNKIT_NIGHTLY === '1' ? [] : onlyNightly)],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/setup.ts'],
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    isolate: false,
    execArgv: ['--conditions=nounkit-source'],
    // Many tests wait for real processes, so two cores have room for five workers.
    maxWorkers: 5,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
