import { defineConfig, mergeConfig } from 'vitest/config'
import common from '../../vitest.config.ts'

const { include: _, exclude: __, globalSetup: ___, ...rest } = common.test ?? {}

/** For `scripts/citus-cluster`: the tests that need a cluster, one file after the other, and a table at the end. */
export default mergeConfig(
  { ...common, test: rest },
  defineConfig({
    test: {
      // Those on disks and standbys need no cluster, and belong to the table.
      include: [
        'test/cluster/*.test.ts',
        'test/processes/disk-postgres.test.ts',
        'test/processes/read-replica.test.ts',
      ],
      fileParallelism: false,
      reporters: ['default', './test/cluster/table.ts'],
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  }),
)
