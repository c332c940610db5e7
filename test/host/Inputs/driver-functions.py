"""Whether each function of the driver that has to do with memory, graphs or the order of work is
interposed, in each of its forms, or named here with the reason why not. Arguments: libcuda.so,
libgmprof.so."""
import re
import subprocess
import sys

NOT_INTERPOSED = {
    "asks for something, and changes nothing":
        r"cu\w*(Get|Is|Enumerate)(?!Mapped)[A-Z\d]\w*|cu(Event|Stream)Query|cuInit|cuDeviceGet"
        r"|cuOccupancy\w+|cuDevice(CanAccessPeer|ComputeCapability|TotalMem)|cuDriver\w+"
        r"|cuGraphDebugDotPrint|cuGraphNodeFindInClone",
    "is of CUDA 3.1, whose addresses have 32 bits":
        r"cu(MemAlloc|MemAllocPitch|MemFree|Memcpy(2D|2DAsync|2DUnaligned|3D|3DAsync)"
        r"|Memcpy(AtoA|AtoD|AtoH|AtoHAsync|DtoA|DtoD|DtoDAsync|DtoH|DtoHAsync|HtoA|HtoAAsync|HtoD"
        r"|HtoDAsync)|Memset(D8|D16|D32|D2D8|D2D16|D2D32)|ArrayCreate|Array3DCreate"
        r"|GraphicsResourceGetMappedPointer)",
    "makes and binds contexts, which hold no memory yet":
        r"cu(CtxCreate|CtxAttach|Ctx(Push|Pop|Set)Current|CtxFromGreenCtx|GreenCtx(Create|Destroy)"
        r"|DevicePrimaryCtxSetFlags|DevResource\w+|DevSmResource\w+)",
    "sets limits, caches and access of contexts and kernels":
        r"cu(Ctx(Set|Reset|Enable|Disable)(CacheConfig|Flags|Limit|SharedMemConfig|PeerAccess"
        r"|PersistingL2Cache)|(Func|Kernel)Set(CacheConfig|SharedMemConfig)|FlushGPUDirect\w+"
        r"|PointerSetAttribute)",
    "loads code, whose kernels are seen when they are launched":
        r"cu(Module(Load\w*)|Library(Load\w*)|Link\w+|FuncLoad)",
    "is about the driver itself, its logs, dumps and profiler, and stopping whole processes":
        r"cu(Logs\w+|Coredump\w+|Checkpoint\w+|Profiler\w+|Device(Un)?[Rr]egisterAsync\w+)",
    "sets the arguments and textures of functions for cuLaunch, which are taken as not known":
        r"cu(ParamSet\w+|TexRef\w+|SurfRef\w+)",
    "describes memory for tensor instructions, by addresses that kernels are given":
        r"cuTensorMap\w+",
    "is about memory and addresses that are an object when cuMemMap puts them together":
        r"cuMem(Release|AddressReserve|AddressFree|SetAccess|RetainAllocationHandle"
        r"|ExportToShareableHandle|ImportFromShareableHandle)",
    "makes objects for several devices: what gets memory by them is counted":
        r"cuMulticast(Create|AddDevice|Unbind)",
    "is about pools of memory, their limits and who may use them, not about what is taken from one":
        r"cu(MemPool(Create|Destroy|Set\w+|TrimTo|Export\w*|ImportFromShareableHandle)"
        r"|MemSetMemPool|DeviceSetMemPool|Device(Set)?GraphMem\w+)",
    "says where pages of managed memory should be, which is the same object everywhere":
        r"cu(Mem(Advise|Prefetch\w*|Discard\w*)|StreamAttachMemAsync)",
    "makes handles of memory that is recorded, or closes those of memory that is not":
        r"cu(IpcCloseMemHandle|ImportExternal\w+|DestroyExternal\w+)",
    "is of graphics: what gives the memory is counted":
        r"cuGraphics(Map|Unmap)Resources|cuGraphicsUnregisterResource"
        r"|cuGraphicsResourceSetMapFlags|cuGraphics\w+GetMapped\w*Array"
        r"|cu(GL|EGL|VDPAU|GraphicsGL|GraphicsEGL|GraphicsVDPAU)\w+",
    "builds or changes a graph that is read as a whole when it is made executable":
        r"cu(Graph(Create|Clone|DestroyNode|(Add|Remove)Dependencies|ConditionalHandleCreate"
        r"|AddChildGraphNode|AddEmptyNode|AddEvent\w+Node|AddExternal\w+|AddHostNode"
        r"|AddMemcpyNode|AddMemsetNode|MemcpyNodeSetParams|MemsetNodeSetParams"
        r"|BatchMemOpNodeSetParams|KernelNode(CopyAttributes|SetAttribute)|EventRecordNodeSetEvent"
        r"|EventWaitNodeSetEvent|ExternalSemaphores\w+SetParams|HostNodeSetParams|Upload"
        r"|(Retain|Release)UserObject)|UserObject\w+)",
    "changes nodes of an executable graph that are no GPU APIs":
        r"cuGraphExec(Event\w+SetEvent|External\w+SetParams|HostNodeSetParams)",
    "begins or ends a capture: what is captured is seen by its own call":
        r"cuStream(BeginCapture\w*|EndCapture|UpdateCaptureDependencies)"
        r"|cuThreadExchangeStreamCaptureMode",
    "is about streams and events that have no work by that":
        r"cu(EventCreate|IpcOpenEventHandle|Stream(CopyAttributes|SetAttribute|AddCallback)"
        r"|LaunchHostFunc)",
}


def symbols(library):
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                            capture_output=True, text=True).stdout
    return set(re.findall(r" [TWi] (cu[A-Z]\w*)", listed))


driver, library = sys.argv[1:]
functions = symbols(driver)
interposed = symbols(library)
assert len(functions) > 500, "the driver looks unlike what it was"
# The form of a function does not matter to the reasons, except for forms of CUDA 3.1.
reasons = {reason: re.compile(pattern) for reason, pattern in NOT_INTERPOSED.items()}
used = set()


def known(name):
    plain = re.sub(r"_pt[sd][sz]$", "", name)
    base = re.sub(r"_v\d$", "", plain)
    for reason, pattern in reasons.items():
        if pattern.fullmatch(plain if "CUDA 3.1" in reason else base):
            used.add(reason)
            return True
    return False


for name in sorted(functions - interposed):
    if not known(name):
        print(f"{name} is neither interposed nor known not to matter")
for name in sorted(interposed - functions):
    print(f"{name} is no function of this driver")
for reason in sorted(set(reasons) - used):
    print(f"no function {reason}")
print(f"{len(functions & interposed)} of {len(functions)} functions are interposed")
