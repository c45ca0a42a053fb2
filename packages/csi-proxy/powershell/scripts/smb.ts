import { type OperationScript, powershell } from "./operation-script.ts";
import { wmiMethods } from "./wmi-functions.ts";

const mappings = powershell`
function Find-SmbMapping([Parameter(Mandatory = $true)][string]$RemotePath) {
  Get-CimInstance -Namespace Root\Microsoft\Windows\Smb -ClassName MSFT_SmbGlobalMapping |
    Where-Object { $_.RemotePath -eq $RemotePath } | Select-Object -First 1
}
`;

export const smbScripts = {
  "smb.getMapping": {
    functions: [mappings],
    body: powershell`
$mapping = Find-SmbMapping $p.smbremotepath
if (-not $mapping) { return @{ data = $null } }
@{ data = @{ status = [int]$mapping.CimInstanceProperties['Status'].Value } }
`,
  },
  // A credential is one text: the user, in which backslashes and colons are escaped, a colon, and the password as it is.
  "smb.newMapping": {
    functions: [wmiMethods],
    body: powershell`
$arguments = @{ RemotePath = [string]$p.smbremotepath; RequirePrivacy = $p.require_privacy -ne 'false' }
if ($p.smbuser) {
  $arguments.Credential = $p.smbuser.Replace('\', '\\').Replace(':', '\:') + ':' + $p.smbpassword
}
Get-MethodAnswer (Invoke-ClassMethod Root\Microsoft\Windows\Smb MSFT_SmbGlobalMapping Create $arguments)
`,
  },
  "smb.removeMapping": {
    functions: [wmiMethods, mappings],
    body: powershell`
$mapping = Find-SmbMapping $p.smbremotepath
if (-not $mapping) { Stop-NotFound ('SMB global mapping {0} not found' -f $p.smbremotepath) }
Get-MethodAnswer (Invoke-InstanceMethod $mapping Remove @{ Force = $true })
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
