import { type OperationScript, powershell } from "./operation-script.ts";
import { wmiMethods } from "./wmi-functions.ts";

/** A service is read by its key: listing all of them would take seconds while a start is waited for. */
const services = powershell`
function Find-Service([Parameter(Mandatory = $true)][string]$Name) {
  $key = New-CimInstance -Namespace Root\CimV2 -ClassName Win32_Service -Property @{ Name = $Name } -Key Name -ClientOnly
  try { Get-CimInstance -InputObject $key }
  catch { if ($_.CategoryInfo.Category -ne 'ObjectNotFound') { throw } }
}

function Get-ExistingService([Parameter(Mandatory = $true)][string]$Name) {
  $service = Find-Service $Name
  if (-not $service) { Stop-NotFound ('service {0} not found' -f $Name) }
  $service
}
`;

export const systemScripts = {
  "system.bios": {
    functions: [],
    body: powershell`
$bios = Get-CimInstance -Namespace Root\CimV2 -ClassName CIM_BIOSElement | Select-Object -First 1
if (-not $bios) { Stop-NotFound 'BIOS element not found' }
@{ data = @{ serialNumber = [string]$bios.SerialNumber } }
`,
  },
  "system.getService": {
    functions: [services],
    body: powershell`
$service = Find-Service $p.ServiceName
if (-not $service) { return @{ data = $null } }
@{ data = @{ name = $service.Name; displayName = $service.DisplayName; state = $service.State; startMode = $service.StartMode } }
`,
  },
  "system.startService": {
    functions: [wmiMethods, services],
    body: powershell`
Get-MethodAnswer (Invoke-InstanceMethod (Get-ExistingService $p.ServiceName) StartService @{})
`,
  },
  "system.stopService": {
    functions: [wmiMethods, services],
    body: powershell`
Get-MethodAnswer (Invoke-InstanceMethod (Get-ExistingService $p.ServiceName) StopService @{})
`,
  },
  "system.dependents": {
    functions: [services],
    body: powershell`
$service = Get-ExistingService $p.ServiceName
@{ data = @(foreach ($dependency in Get-CimInstance -Namespace Root\CimV2 -ClassName Win32_DependentService) {
  $isService = $dependency.Dependent.CimSystemProperties.ClassName -eq 'Win32_Service'
  if ($isService -and $dependency.Antecedent.Name -eq $service.Name) { [string]$dependency.Dependent.Name }
}) }
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
