/* The functions of NVML that clients call, each behind the gate. */
#include "fake_nvml.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ENTER(device) do { int code_ = gate(__func__, (device), 1); if (code_) return code_; } while (0)
#define ENTER_SYSTEM() do { int code_ = gate(__func__, NULL, 0); if (code_) return code_; } while (0)
#define WHOLE_GPU_ONLY(device) do { if ((device)->is_mig) return INVALID_ARGUMENT; } while (0)
/* A query of one figure. */
#define FIGURE(function, type, expression) \
  int function(Device *d, type *out) { ENTER(d); *out = (expression); return OK; }
#define FIGURE_OF_WHOLE(function, type, expression) \
  int function(Device *d, type *out) { ENTER(d); WHOLE_GPU_ONLY(d); *out = (expression); return OK; }
#define TEXT(function, member) \
  int function(Device *d, char *out, unsigned size) { ENTER(d); return copy_text(out, size, d->member); }

typedef unsigned long long u64;
typedef struct { char legacy[16]; unsigned domain, bus, device, id, subsystem; char bus_id[32]; } Pci;
typedef struct { u64 total, free, used; } Memory;
typedef struct { unsigned version; u64 total, reserved, free, used; } MemoryV2;
typedef struct { unsigned pid; u64 bytes; unsigned gpu_instance, compute_instance; } ProcessInfo;

const char *nvmlErrorString(int code) {
  static char text[64];
  snprintf(text, sizeof text, "fake NVML error %d", code);
  return text;
}
int nvmlSystemGetDriverVersion(char *out, unsigned size) {
  ENTER_SYSTEM();
  return copy_text(out, size, driver_version);
}
int nvmlSystemGetNVMLVersion(char *out, unsigned size) { ENTER_SYSTEM(); return copy_text(out, size, nvml_version); }
int nvmlSystemGetCudaDriverVersion(int *out) { ENTER_SYSTEM(); *out = cuda_version; return OK; }
int nvmlSystemGetCudaDriverVersion_v2(int *out) { ENTER_SYSTEM(); *out = cuda_version; return OK; }
int nvmlSystemGetProcessName(unsigned pid, char *out, unsigned size) {
  ENTER_SYSTEM();
  (void)pid;
  return copy_text(out, size, "python");
}

int nvmlDeviceGetCount_v2(unsigned *out) { ENTER_SYSTEM(); *out = device_count; return OK; }
int nvmlDeviceGetCount(unsigned *out) { return nvmlDeviceGetCount_v2(out); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device **out) {
  ENTER_SYSTEM();
  if (index >= (unsigned)device_count) return INVALID_ARGUMENT;
  ENTER(devices[index]);
  *out = devices[index]->null_handle ? NULL : devices[index];
  return OK;
}
int nvmlDeviceGetHandleByIndex(unsigned index, Device **out) { return nvmlDeviceGetHandleByIndex_v2(index, out); }
int nvmlDeviceGetHandleByUUID(const char *uuid, Device **out) {
  ENTER_SYSTEM();
  for (int i = 0; i < device_count; i++) {
    if (!strcmp(devices[i]->uuid, uuid)) return *out = devices[i], OK;
    for (int j = 0; j < devices[i]->mig_count; j++)
      if (!strcmp(devices[i]->mig[j]->uuid, uuid)) return *out = devices[i]->mig[j], OK;
  }
  return NOT_FOUND;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, Device **out) {
  ENTER_SYSTEM();
  for (int i = 0; i < device_count; i++)
    if (!strcasecmp(devices[i]->bus, bus)) return *out = devices[i], OK;
  return NOT_FOUND;
}

TEXT(nvmlDeviceGetName, name)
TEXT(nvmlDeviceGetUUID, uuid)
TEXT(nvmlDeviceGetSerial, serial)
FIGURE(nvmlDeviceGetIndex, unsigned, d->index)
FIGURE(nvmlDeviceGetMinorNumber, unsigned, d->index)
FIGURE(nvmlDeviceGetEnforcedPowerLimit, unsigned, d->limit)
FIGURE(nvmlDeviceGetPowerManagementLimit, unsigned, d->limit)
FIGURE(nvmlDeviceGetFanSpeed, unsigned, d->fan)
FIGURE(nvmlDeviceGetCurrentClocksThrottleReasons, u64, next_of(&d->reasons, 0))
FIGURE(nvmlDeviceGetComputeMode, unsigned, d->mode)
FIGURE(nvmlDeviceGetPersistenceMode, unsigned, 1)
FIGURE(nvmlDeviceGetDisplayActive, unsigned, 0)
FIGURE(nvmlDeviceGetDisplayMode, unsigned, 0)
FIGURE(nvmlDeviceGetPerformanceState, unsigned, 0)
FIGURE(nvmlDeviceGetCurrPcieLinkGeneration, unsigned, d->generation)
FIGURE(nvmlDeviceGetCurrPcieLinkWidth, unsigned, d->width)
FIGURE(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, d->generation)
FIGURE(nvmlDeviceGetMaxPcieLinkWidth, unsigned, d->width)
FIGURE(nvmlDeviceGetVirtualizationMode, unsigned, d->virtualisation)
FIGURE(nvmlDeviceGetNumGpuCores, unsigned, d->cores)
FIGURE(nvmlDeviceGetTotalEnergyConsumption, u64, 0)
FIGURE(nvmlDeviceGetMemoryBusWidth, unsigned, 384)
FIGURE_OF_WHOLE(nvmlDeviceGetPowerUsage, unsigned, next_of(&d->power, 50000))

int nvmlDeviceGetPciInfo_v3(Device *d, Pci *out) {
  ENTER(d);
  WHOLE_GPU_ONLY(d);
  memset(out, 0, sizeof *out);
  sscanf(d->bus, "%x:%x:%x", &out->domain, &out->bus, &out->device);
  snprintf(out->legacy, 16, "%04X:%02X:%02X.0", out->domain & 0xffff, out->bus & 0xff, out->device & 0xff);
  snprintf(out->bus_id, 32, "%.31s", d->bus);
  out->id = 0x20B010DE;
  return OK;
}
int nvmlDeviceGetCudaComputeCapability(Device *d, int *major, int *minor) {
  ENTER(d);
  *major = d->major, *minor = d->minor;
  return OK;
}
int nvmlDeviceGetMemoryInfo(Device *d, Memory *out) { /* version 1 counts what the driver reserves as used */
  ENTER(d);
  out->total = d->total, out->used = d->used + d->reserved, out->free = d->total - out->used;
  return OK;
}
int nvmlDeviceGetBAR1MemoryInfo(Device *d, Memory *out) {
  ENTER(d);
  out->total = 256ull << 20, out->free = 250ull << 20, out->used = 6ull << 20;
  return OK;
}
int nvmlDeviceGetUtilizationRates(Device *d, unsigned *out) {
  ENTER(d);
  WHOLE_GPU_ONLY(d);
  out[0] = next_of(&d->utilisation, 0), out[1] = out[0] / 2;
  return OK;
}
int nvmlDeviceGetTemperature(Device *d, int sensor, unsigned *out) {
  ENTER(d);
  WHOLE_GPU_ONLY(d);
  (void)sensor;
  *out = next_of(&d->temperature, 40);
  return OK;
}
int nvmlDeviceGetClockInfo(Device *d, int kind, unsigned *out) {
  ENTER(d);
  WHOLE_GPU_ONLY(d);
  *out = kind == 2 ? d->memory_clock : next_of(&d->clock, d->max_clock);
  return OK;
}
int nvmlDeviceGetMaxClockInfo(Device *d, int kind, unsigned *out) {
  ENTER(d);
  *out = kind == 2 ? d->memory_clock : d->max_clock;
  return OK;
}
int nvmlDeviceGetDefaultApplicationsClock(Device *d, int kind, unsigned *out) {
  ENTER(d);
  *out = kind == 2 ? d->memory_clock : d->default_clock;
  return OK;
}
int nvmlDeviceGetEccMode(Device *d, unsigned *now, unsigned *next) { ENTER(d); *now = *next = 0; return OK; }
int nvmlDeviceGetTopologyCommonAncestor(Device *a, Device *b, int *out) { ENTER(a); ENTER(b); *out = 30; return OK; }
int nvmlDeviceGetP2PStatus(Device *a, Device *b, int kind, int *out) {
  ENTER(a);
  ENTER(b);
  int wired = a->links && b->links;
  *out = kind == 2 ? (wired ? 0 : 5) : (int)(a->p2p_status ? a->p2p_status : b->p2p_status);
  return OK;
}
int nvmlDeviceGetDriverModel(Device *d, unsigned *now, unsigned *next) {
  ENTER(d);
  *now = *next = 0;
  return NOT_SUPPORTED;
}
int nvmlDeviceGetDriverModel_v2(Device *d, unsigned *now, unsigned *next) {
  ENTER(d);
  *now = *next = 0;
  return NOT_SUPPORTED;
}
int nvmlDeviceGetEncoderUtilization(Device *d, unsigned *u, unsigned *period) {
  ENTER(d);
  *u = 0, *period = 1000;
  return OK;
}
int nvmlDeviceGetDecoderUtilization(Device *d, unsigned *u, unsigned *period) {
  ENTER(d);
  *u = 0, *period = 1000;
  return OK;
}
int nvmlDeviceGetPcieThroughput(Device *d, int kind, unsigned *out) { ENTER(d); (void)kind; *out = 0; return OK; }
int nvmlDeviceGetTotalEccErrors(Device *d, int a, int b, u64 *out) {
  ENTER(d);
  (void)a, (void)b;
  *out = 0;
  return NOT_SUPPORTED;
}
int nvmlDeviceGetProcessUtilization(Device *d, void *out, unsigned *n, u64 since) {
  ENTER(d);
  (void)out, (void)since;
  *n = 0;
  return NOT_FOUND;
}

static int list_processes(Device *d, unsigned *n, ProcessInfo *out) {
  unsigned room = *n;
  *n = d->process_count;
  if (!d->process_count) return OK;
  if (!out || room < (unsigned)d->process_count) return INSUFFICIENT_SIZE;
  for (int i = 0; i < d->process_count; i++) {
    const Process *p = &d->processes[i];
    out[i] = (ProcessInfo){p->pid, p->bytes, p->gpu_instance, p->compute_instance};
  }
  return OK;
}
int nvmlDeviceGetComputeRunningProcesses_v2(Device *d, unsigned *n, ProcessInfo *out) {
  ENTER(d);
  return list_processes(d, n, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(Device *d, unsigned *n, ProcessInfo *out) {
  ENTER(d);
  (void)out;
  *n = 0;
  return OK;
}

#ifndef OLD_DRIVER
int nvmlDeviceGetMemoryInfo_v2(Device *d, MemoryV2 *out) {
  ENTER(d);
  if (out->version != 0x02000028) return ARGUMENT_VERSION_MISMATCH;
  out->total = d->total, out->reserved = d->reserved, out->used = d->used;
  out->free = d->total - d->used - d->reserved;
  return OK;
}
int nvmlDeviceGetComputeRunningProcesses_v3(Device *d, unsigned *n, ProcessInfo *out) {
  ENTER(d);
  return list_processes(d, n, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(Device *d, unsigned *n, ProcessInfo *out) {
  ENTER(d);
  (void)out;
  *n = 0;
  return OK;
}
FIGURE(nvmlDeviceGetCurrentClocksEventReasons, u64, next_of(&d->reasons, 0))
FIGURE(nvmlDeviceIsMigDeviceHandle, unsigned, d->is_mig)
FIGURE(nvmlDeviceGetMaxMigDeviceCount, unsigned, d->mig_mode ? 7 : 0)
int nvmlDeviceGetMigMode(Device *d, unsigned *now, unsigned *next) {
  ENTER(d);
  if (d->major < 8 || (d->major == 8 && d->minor)) return NOT_SUPPORTED;
  *now = *next = d->mig_mode;
  return OK;
}
int nvmlDeviceGetMigDeviceHandleByIndex(Device *d, unsigned index, Device **out) {
  ENTER(d);
  if (index >= (unsigned)d->mig_count) return NOT_FOUND;
  *out = d->mig[index];
  return OK;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Device *d, Device **out) {
  ENTER(d);
  if (!d->is_mig) return INVALID_ARGUMENT;
  *out = d->parent;
  return OK;
}
int nvmlDeviceGetGpuInstanceId(Device *d, unsigned *out) {
  ENTER(d);
  *out = d->gpu_instance;
  return d->is_mig ? OK : INVALID_ARGUMENT;
}
int nvmlDeviceGetComputeInstanceId(Device *d, unsigned *out) {
  ENTER(d);
  *out = d->compute_instance;
  return d->is_mig ? OK : INVALID_ARGUMENT;
}
int nvmlDeviceGetNvLinkState(Device *d, unsigned link, unsigned *out) {
  ENTER(d);
  if (!d->links) return NOT_SUPPORTED;
  if (link >= d->links) return INVALID_ARGUMENT;
  *out = 1;
  return OK;
}
int nvmlDeviceGetNvLinkRemoteDeviceType(Device *d, unsigned link, unsigned *out) {
  ENTER(d);
  if (link >= d->links) return NOT_SUPPORTED;
  *out = d->behind_switch ? 2 : 0;
  return OK;
}
#endif
