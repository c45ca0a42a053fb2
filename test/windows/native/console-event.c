// `console-event.exe <process> <event>`: what containerd does to stop a process of a Windows container. It starts a thread in it, which calls
// the process's handlers of console events.
#include <stdlib.h>
#include <windows.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  HANDLE process = OpenProcess(PROCESS_ALL_ACCESS, FALSE, strtoul(argv[1], NULL, 10));
  LPTHREAD_START_ROUTINE routine = (LPTHREAD_START_ROUTINE)(void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), "CtrlRoutine");
  if (!process || !routine) return 1;
  return CreateRemoteThread(process, NULL, 0, routine, (void *)(ULONG_PTR)strtoul(argv[2], NULL, 10), 0, NULL) ? 0 : 1;
}
