; The descriptor has a table of inlined calls, and each site the one it is in: inner is inlined in outer (line 10), which is in the kernel (line 20), and
; in the kernel itself (line 21). Each call is there once, behind the one that it is in.
; RUN: %opt -gm-profile=cache -passes=gm-instrument,verify -S %s | FileCheck %s
; Without debug info there is no table, and nothing else changes.
; RUN: %opt -passes=strip -S %s | %opt -gm-profile=cache -passes=gm-instrument,verify -S | FileCheck %s --check-prefix=NONE

target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

; Sites: lines 3, 3, 4 and 22.
; CHECK: @__gm_kernel_k = weak addrspace(1) constant
; CHECK-SAME: { i32 0, i32 [[FILE:[0-9]+]], i32 3, i32 9, i32 [[INNER:[0-9]+]], i32 0, i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, i32 1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 0, i32 [[FILE]], i32 3, i32 9, i32 [[INNER]], i32 0, i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, i32 2, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 0, i32 [[FILE]], i32 4, i32 9, i32 [[INNER]], i32 0, i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, i32 1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: { i32 0, i32 [[FILE]], i32 22, i32 1, i32 [[K:[0-9]+]], i32 1, i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, i32 -1, i32 -1, i32 0, i32 0 }
; CHECK-SAME: [3 x { i32, i32, i32, i32, i32, i32 }]
; CHECK-SAME: { i32 [[OUTER:[0-9]+]], i32 [[FILE]], i32 20, i32 7, i32 -1, i32 0 }
; CHECK-SAME: { i32 [[INNER]], i32 [[FILE]], i32 10, i32 5, i32 0, i32 0 }
; CHECK-SAME: { i32 [[INNER]], i32 [[FILE]], i32 21, i32 3, i32 -1, i32 0 }]
; NONE: @__gm_kernel_k = weak addrspace(1) constant
; NONE-SAME: { i32 0, i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 4, i32 0, i32 0, i32 0, i32 0, i32 -1, i32 -1, i32 0, i32 0 }], {{.*}}[0 x i8] zeroinitializer, [0 x i32] zeroinitializer, [
define ptx_kernel void @k(ptr %p) !dbg !6 {
  %a = load i32, ptr %p, !dbg !20
  %q = getelementptr i32, ptr %p, i32 1, !dbg !21
  %b = load i32, ptr %q, !dbg !21
  %r = getelementptr i32, ptr %p, i32 2, !dbg !22
  %c = load i32, ptr %r, !dbg !22
  %ab = add i32 %a, %b, !dbg !22
  %abc = add i32 %ab, %c, !dbg !22
  store i32 %abc, ptr %p, !dbg !23
  ret void, !dbg !23
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.cu", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 18, type: !4, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)
!7 = distinct !DISubprogram(name: "outer", scope: !1, file: !1, line: 9, type: !4, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)
!8 = distinct !DISubprogram(name: "inner", scope: !1, file: !1, line: 2, type: !4, unit: !0, spFlags: DISPFlagDefinition | DISPFlagOptimized)
!10 = distinct !DILocation(line: 20, column: 7, scope: !6)
!11 = distinct !DILocation(line: 10, column: 5, scope: !7, inlinedAt: !10)
!12 = distinct !DILocation(line: 21, column: 3, scope: !6)
!20 = !DILocation(line: 3, column: 9, scope: !8, inlinedAt: !11)
!21 = !DILocation(line: 3, column: 9, scope: !8, inlinedAt: !12)
!22 = !DILocation(line: 4, column: 9, scope: !8, inlinedAt: !11)
!23 = !DILocation(line: 22, column: 1, scope: !6)
