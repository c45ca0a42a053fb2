import { powershell } from "./operation-script.ts";

/**
 * The calls to Windows that no cmdlet offers, compiled when they are first needed. C# 5: the compiler of Windows PowerShell knows no
 * newer one. Error codes are read right behind the call, before PowerShell makes calls of its own; handles are closed by `using`.
 */
export const nativeMethods = powershell`
function Import-NativeMethod {
  if ('CsiProxyNative' -as [type]) { return }
  Add-Type -IgnoreWarnings -TypeDefinition '
using System;
using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

public static class CsiProxyNative {
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern SafeFileHandle CreateFileW(string name, uint access, uint share, IntPtr security, uint disposition, uint flags, IntPtr template);
  [DllImport("kernel32.dll", SetLastError = true)]
  static extern bool DeviceIoControl(SafeFileHandle device, uint code, byte[] input, uint inputSize, byte[] output, uint outputSize, out uint returned, IntPtr overlapped);
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern uint GetFileAttributesW(string name);
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool SetVolumeMountPointW(string mountPoint, string volume);
  [DllImport("kernel32.dll", CharSet = CharSet.Unicode, SetLastError = true)]
  static extern bool DeleteVolumeMountPointW(string mountPoint);

  // The attributes, or the error code as a negative number.
  public static long GetAttributes(string path) {
    uint attributes = GetFileAttributesW(path);
    return attributes == 0xFFFFFFFF ? -(long)Marshal.GetLastWin32Error() : (long)attributes;
  }

  public static int SetMountPoint(string mountPoint, string volume) {
    return SetVolumeMountPointW(mountPoint, volume) ? 0 : Marshal.GetLastWin32Error();
  }

  public static int DeleteMountPoint(string mountPoint) {
    return DeleteVolumeMountPointW(mountPoint) ? 0 : Marshal.GetLastWin32Error();
  }

  public static byte[] Control(string path, uint access, uint flags, uint code, byte[] input, int size) {
    using (SafeFileHandle device = CreateFileW(path, access, 7, IntPtr.Zero, 3, flags, IntPtr.Zero)) {
      if (device.IsInvalid) throw new Win32Exception();
      byte[] output = new byte[size];
      uint returned;
      if (!DeviceIoControl(device, code, input, (uint)input.Length, output, (uint)size, out returned, IntPtr.Zero)) throw new Win32Exception();
      Array.Resize(ref output, (int)returned);
      return output;
    }
  }
}
'
}

function Get-LongPath([Parameter(Mandatory = $true)][string]$Path) {
  if ($Path.Length -ge 240 -and $Path -match '^[A-Za-z]:\\') { '\\?\' + $Path } else { $Path }
}

function Get-MountPointPath([Parameter(Mandatory = $true)][string]$Path) {
  (Get-LongPath $Path).TrimEnd('\') + '\'
}
`;
