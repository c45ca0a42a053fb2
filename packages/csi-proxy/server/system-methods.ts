import type { SystemHandler } from "./library.ts";
import type { GroupMethods } from "./versioned-methods.ts";

/** The system group. */
export function systemMethods(system: SystemHandler): GroupMethods<"system"> {
  return {
    v1alpha1: {
      async getBIOSSerialNumber(_, options) {
        const { serialNumber } = await system.getBiosSerialNumber({}, options);
        return { serial_number: serialNumber };
      },
      async startService({ name }, options) {
        await system.startService({ name }, options);
        return {};
      },
      async stopService({ name, force }, options) {
        await system.stopService({ name, force }, options);
        return {};
      },
      async getService({ name }, options) {
        const { displayName, startType, status } = await system.getService({ name }, options);
        return { display_name: displayName, start_type: startType, status };
      },
    },
  };
}
