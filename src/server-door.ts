export type { ActingAs } from './declare/job.ts'
export {
  type InProcessService as Service,
  type ListenSettings,
  openInProcess as openService,
} from './in-process-service.ts'
export type { ServiceSettings } from './server-settings.ts'
