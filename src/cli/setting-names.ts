import { nearest } from '../compile/names/nearest.ts'
import { settingVariables } from '../server-settings.ts'

const prefix = 'NOUNKIT_'

/** The environment variables with our prefix that are read, without it. Ports are for processes of their own alone. */
export const settingNames: readonly string[] = [
  ...Object.values(settingVariables),
  'NOUNKIT_CONSOLE_PORT',
  'NOUNKIT_OPS_PORT',
]
  .filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length))
  .sort()

/** A sentence for each unknown variable whose name is close to that of a setting. Other unknown variables may belong to another program. */
export const mistypedSettings = (environment: { readonly [name: string]: string | undefined }) =>
  Object.keys(environment)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((name) => !settingNames.includes(name))
    .flatMap((name) => {
      const near = nearest(name, settingNames)
      return near === null ? [] : [`${prefix}${name} is not a setting. Did you mean ${prefix}${near}?`]
    })
