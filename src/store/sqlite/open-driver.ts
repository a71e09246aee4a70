import type { DriverConnection, DriverOptions } from './driver.ts'

/** With the driver of the runtime: each can load its own only. */
export const openDriver: (file: string, options: DriverOptions) => DriverConnection = process.versions.bun
  ? (await import('./bun-driver.ts')).openBunDriver
  : (await import('./node-driver.ts')).openNodeDriver
