//go:build unix

package uart

import (
	"os"
	"os/user"
	"slices"
	"strconv"
	"syscall"
)

// permission says who may open a port.
func permission(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return &PermissionError{Port: name}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return &PermissionError{Port: name}
	}
	return permissionOf(name, info.Mode().Perm(), st.Uid, st.Gid)
}

// permissionOf says it from the port's mode, owner and group.
func permissionOf(name string, mode os.FileMode, owner, group uint32) *PermissionError {
	uid, gid := strconv.Itoa(int(owner)), strconv.Itoa(int(group))
	e := &PermissionError{Port: name, Owner: uid}
	if u, err := user.LookupId(uid); err == nil {
		e.Owner = u.Username
	}
	// Read and write for the group, which is not that of root alone.
	if mode&0o060 != 0o060 || group == 0 {
		return e
	}
	e.Group = gid
	if g, err := user.LookupGroupId(gid); err == nil {
		e.Group = g.Name
	}
	if me, err := user.Current(); err == nil {
		groups, _ := me.GroupIds() // of the files, not of this process
		e.Joined = slices.Contains(groups, gid)
	}
	return e
}
