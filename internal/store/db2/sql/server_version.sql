-- Manual: ENV_INST_INFO administrative view.
SELECT service_level FROM SYSIBMADM.ENV_INST_INFO
